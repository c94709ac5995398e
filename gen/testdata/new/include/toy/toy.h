/* A header of our own, for docs/add-an-api.md and the test that goes through it. */
#ifndef TOY_H
#define TOY_H

#include <other.h>
#include <stddef.h>

#define TOY_VERSION 10203
#define TOY_WAIT_SPIN 0x1
#define TOY_WAIT_SLEEP 0x2

typedef enum toyResult_enum {
    TOY_SUCCESS = 0,
    TOY_ERROR_INVALID_VALUE = 1,
    TOY_ERROR_NOT_READY = 2,
    TOY_ERROR_UNKNOWN = 99
} toyResult;

typedef enum toyColor_enum { TOY_COLOR_RED = 1, TOY_COLOR_BLUE = 2 } toyColor;

typedef struct toyEvent_st *toyEvent;

typedef struct toyInfo_st {
    toyColor color;
    unsigned int reserved[2];
    size_t bytes;
} toyInfo;

typedef int (*toyVisit)(toyColor color, void *userData);

#ifdef __cplusplus
extern "C" {
#endif

/** \defgroup Event events */
/** \ingroup Event */
toyResult toyEventCreate(toyEvent *event, unsigned int flags);
toyResult toyEventQuery(toyEvent event);
toyResult toyEventGetInfo(toyEvent event, toyInfo *info);
toyResult toyEventDestroy(toyEvent event);
toyResult toyEventAttach(toyEvent event, other_t *with);
toyResult toyGetVersion(int *version);
toyResult toyGetName(toyColor color, char *name, size_t size);
toyResult toyForEachColor(toyVisit visit, void *userData);
toyResult toySum(const unsigned int *values, size_t count, unsigned long long *sum);

#ifdef __cplusplus
}
#endif

#endif
