#ifndef GPUEVENT_STUB_TIME_H
#define GPUEVENT_STUB_TIME_H
#include <stddef.h>
typedef long long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
