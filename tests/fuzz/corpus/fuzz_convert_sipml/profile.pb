
readmul

read  (
	
mul0d

done 

write  (
muldone
donewrite