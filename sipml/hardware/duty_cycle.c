/* Duty cycle: the fraction of time in which light carries data (SiP-ML, section 3.1). "The circuit
 * hold time should be longer than 10 r to achieve a 90 % duty cycle" is exact for slots that
 * include the dark time (as in section 4.4 and Fig. 12(d)); for holds that exclude it 10 r gives
 * 90.9 %. */
#include "sipml/hardware/sip_hardware.h"

double orr_duty_of_hold(sim_time hold_ps, sim_time dark_ps)
{
    return (double)hold_ps / ((double)hold_ps + (double)dark_ps);
}

double orr_duty_of_slot(sim_time slot_ps, sim_time dark_ps)
{
    return slot_ps > dark_ps ? (double)(slot_ps - dark_ps) / (double)slot_ps : 0;
}

double orr_min_hold_ps(double duty, sim_time dark_ps)
{
    return duty / (1 - duty) * (double)dark_ps;
}

double orr_min_slot_ps(double duty, sim_time dark_ps)
{
    return (double)dark_ps / (1 - duty);
}
