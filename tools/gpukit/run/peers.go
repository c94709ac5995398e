package main

import (
	"context"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func (k *kit) peers(context.Context, report.Device) {}
