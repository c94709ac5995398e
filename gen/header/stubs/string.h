#ifndef GPUEVENT_STUB_STRING_H
#define GPUEVENT_STUB_STRING_H
#include <stddef.h>
#endif
