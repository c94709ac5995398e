#ifndef GPUEVENT_STUB_STDLIB_H
#define GPUEVENT_STUB_STDLIB_H
#include <stddef.h>
#endif
