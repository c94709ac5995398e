#ifndef GPUEVENT_STUB_TIME_H
#define GPUEVENT_STUB_TIME_H
#include <stddef.h>
typedef long long time_t;
#endif
