#ifndef GPUEVENT_STUB_INTTYPES_H
#define GPUEVENT_STUB_INTTYPES_H
#include <stdint.h>
#endif
