#ifndef GPUEVENT_STUB_STDALIGN_H
#define GPUEVENT_STUB_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
