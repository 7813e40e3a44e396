/* The public header of core/: what every other folder may use. */
#ifndef ORR_CORE_CORE_H
#define ORR_CORE_CORE_H

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/diag.h"
#include "core/divide.h"
#include "core/evq.h"
#include "core/fifo.h"
#include "core/file.h"
#include "core/fold.h"
#include "core/library_lock.h"
#include "core/rng.h"
#include "core/saturate.h"
#include "core/slab.h"
#include "core/status.h"
#include "core/strings.h"
#include "core/sum.h"
#include "core/text_escape.h"
#include "core/time.h"
#include "core/unconst.h"
#include "core/union_find.h"
#include "core/units.h"

#endif
