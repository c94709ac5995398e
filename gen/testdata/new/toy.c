/* The library that toy.h is for. */
#include <toy/toy.h>
#include <stdio.h>
#include <stdlib.h>

struct toyEvent_st {
    unsigned int flags;
    int asked;
};

toyResult toyEventCreate(toyEvent *event, unsigned int flags) {
    if (flags > 3) return TOY_ERROR_INVALID_VALUE;
    *event = calloc(1, sizeof **event);
    (*event)->flags = flags;
    return TOY_SUCCESS;
}

toyResult toyEventQuery(toyEvent event) {
    return event->asked++ ? TOY_SUCCESS : TOY_ERROR_NOT_READY;
}

toyResult toyEventGetInfo(toyEvent event, toyInfo *info) {
    info->color = TOY_COLOR_BLUE;
    info->bytes = 1000 + event->flags;
    return TOY_SUCCESS;
}

toyResult toyEventDestroy(toyEvent event) {
    free(event);
    return TOY_SUCCESS;
}

toyResult toyEventAttach(toyEvent event, other_t *with) {
    return event && with ? TOY_SUCCESS : TOY_ERROR_INVALID_VALUE;
}

toyResult toyGetVersion(int *version) {
    *version = TOY_VERSION;
    return TOY_SUCCESS;
}

toyResult toyGetName(toyColor color, char *name, size_t size) {
    snprintf(name, size, "%s", color == TOY_COLOR_RED ? "red" : "blue");
    return TOY_SUCCESS;
}

toyResult toyForEachColor(toyVisit visit, void *userData) {
    return visit(TOY_COLOR_RED, userData) + visit(TOY_COLOR_BLUE, userData) == 3 ? TOY_SUCCESS
                                                                               : TOY_ERROR_UNKNOWN;
}

toyResult toySum(const unsigned int *values, size_t count, unsigned long long *sum) {
    *sum = 0;
    while (count--) *sum += *values++;
    return TOY_SUCCESS;
}
