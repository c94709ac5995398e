package nvml

// Constructors of the structs that say their version.

// NewActiveVgpuInstanceInfoV1 returns a [ActiveVgpuInstanceInfoV1] whose Version is set.
func NewActiveVgpuInstanceInfoV1() ActiveVgpuInstanceInfoV1 {
	return ActiveVgpuInstanceInfoV1{Version: ActiveVgpuInstanceInfoV1Version}
}

// NewClockOffsetV1 returns a [ClockOffsetV1] whose Version is set.
func NewClockOffsetV1() ClockOffsetV1 { return ClockOffsetV1{Version: ClockOffsetV1Version} }

// NewComputeInstanceProfileInfoV2 returns a [ComputeInstanceProfileInfoV2] whose Version is set.
func NewComputeInstanceProfileInfoV2() ComputeInstanceProfileInfoV2 {
	return ComputeInstanceProfileInfoV2{Version: ComputeInstanceProfileInfoV2Version}
}

// NewComputeInstanceProfileInfoV3 returns a [ComputeInstanceProfileInfoV3] whose Version is set.
func NewComputeInstanceProfileInfoV3() ComputeInstanceProfileInfoV3 {
	return ComputeInstanceProfileInfoV3{Version: ComputeInstanceProfileInfoV3Version}
}

// NewConfComputeGetKeyRotationThresholdInfoV1 returns a [ConfComputeGetKeyRotationThresholdInfoV1] whose Version is set.
func NewConfComputeGetKeyRotationThresholdInfoV1() ConfComputeGetKeyRotationThresholdInfoV1 {
	return ConfComputeGetKeyRotationThresholdInfoV1{Version: ConfComputeGetKeyRotationThresholdInfoV1Version}
}

// NewConfComputeSetKeyRotationThresholdInfoV1 returns a [ConfComputeSetKeyRotationThresholdInfoV1] whose Version is set.
func NewConfComputeSetKeyRotationThresholdInfoV1() ConfComputeSetKeyRotationThresholdInfoV1 {
	return ConfComputeSetKeyRotationThresholdInfoV1{Version: ConfComputeSetKeyRotationThresholdInfoV1Version}
}

// NewCoolerInfoV1 returns a [CoolerInfoV1] whose Version is set.
func NewCoolerInfoV1() CoolerInfoV1 { return CoolerInfoV1{Version: CoolerInfoV1Version} }

// NewDeviceAddressingModeV1 returns a [DeviceAddressingModeV1] whose Version is set.
func NewDeviceAddressingModeV1() DeviceAddressingModeV1 {
	return DeviceAddressingModeV1{Version: DeviceAddressingModeV1Version}
}

// NewDeviceCapabilitiesV1 returns a [DeviceCapabilitiesV1] whose Version is set.
func NewDeviceCapabilitiesV1() DeviceCapabilitiesV1 {
	return DeviceCapabilitiesV1{Version: DeviceCapabilitiesV1Version}
}

// NewDeviceCurrentClockFreqsV1 returns a [DeviceCurrentClockFreqsV1] whose Version is set.
func NewDeviceCurrentClockFreqsV1() DeviceCurrentClockFreqsV1 {
	return DeviceCurrentClockFreqsV1{Version: DeviceCurrentClockFreqsV1Version}
}

// NewDevicePerfModesV1 returns a [DevicePerfModesV1] whose Version is set.
func NewDevicePerfModesV1() DevicePerfModesV1 {
	return DevicePerfModesV1{Version: DevicePerfModesV1Version}
}

// NewDramEncryptionInfoV1 returns a [DramEncryptionInfoV1] whose Version is set.
func NewDramEncryptionInfoV1() DramEncryptionInfoV1 {
	return DramEncryptionInfoV1{Version: DramEncryptionInfoV1Version}
}

// NewEccSramErrorStatusV1 returns a [EccSramErrorStatusV1] whose Version is set.
func NewEccSramErrorStatusV1() EccSramErrorStatusV1 {
	return EccSramErrorStatusV1{Version: EccSramErrorStatusV1Version}
}

// NewEccSramUniqueUncorrectedErrorCountsV1 returns a [EccSramUniqueUncorrectedErrorCountsV1] whose Version is set.
func NewEccSramUniqueUncorrectedErrorCountsV1() EccSramUniqueUncorrectedErrorCountsV1 {
	return EccSramUniqueUncorrectedErrorCountsV1{Version: EccSramUniqueUncorrectedErrorCountsV1Version}
}

// NewFanSpeedInfoV1 returns a [FanSpeedInfoV1] whose Version is set.
func NewFanSpeedInfoV1() FanSpeedInfoV1 { return FanSpeedInfoV1{Version: FanSpeedInfoV1Version} }

// NewGpuFabricInfoV2 returns a [GpuFabricInfoV2] whose Version is set.
func NewGpuFabricInfoV2() GpuFabricInfoV2 { return GpuFabricInfoV2{Version: GpuFabricInfoV2Version} }

// NewGpuFabricInfoV3 returns a [GpuFabricInfoV3] whose Version is set.
func NewGpuFabricInfoV3() GpuFabricInfoV3 { return GpuFabricInfoV3{Version: GpuFabricInfoV3Version} }

// NewGpuInstanceProfileInfoV2 returns a [GpuInstanceProfileInfoV2] whose Version is set.
func NewGpuInstanceProfileInfoV2() GpuInstanceProfileInfoV2 {
	return GpuInstanceProfileInfoV2{Version: GpuInstanceProfileInfoV2Version}
}

// NewGpuInstanceProfileInfoV3 returns a [GpuInstanceProfileInfoV3] whose Version is set.
func NewGpuInstanceProfileInfoV3() GpuInstanceProfileInfoV3 {
	return GpuInstanceProfileInfoV3{Version: GpuInstanceProfileInfoV3Version}
}

// NewMarginTemperatureV1 returns a [MarginTemperatureV1] whose Version is set.
func NewMarginTemperatureV1() MarginTemperatureV1 {
	return MarginTemperatureV1{Version: MarginTemperatureV1Version}
}

// NewMemoryV2 returns a [MemoryV2] whose Version is set.
func NewMemoryV2() MemoryV2 { return MemoryV2{Version: MemoryV2Version} }

// NewNvLinkInfoV1 returns a [NvLinkInfoV1] whose Version is set.
func NewNvLinkInfoV1() NvLinkInfoV1 { return NvLinkInfoV1{Version: NvLinkInfoV1Version} }

// NewNvLinkInfoV2 returns a [NvLinkInfoV2] whose Version is set.
func NewNvLinkInfoV2() NvLinkInfoV2 { return NvLinkInfoV2{Version: NvLinkInfoV2Version} }

// NewNvlinkGetBwModeV1 returns a [NvlinkGetBwModeV1] whose Version is set.
func NewNvlinkGetBwModeV1() NvlinkGetBwModeV1 {
	return NvlinkGetBwModeV1{Version: NvlinkGetBwModeV1Version}
}

// NewNvlinkSetBwModeV1 returns a [NvlinkSetBwModeV1] whose Version is set.
func NewNvlinkSetBwModeV1() NvlinkSetBwModeV1 {
	return NvlinkSetBwModeV1{Version: NvlinkSetBwModeV1Version}
}

// NewNvlinkSupportedBwModesV1 returns a [NvlinkSupportedBwModesV1] whose Version is set.
func NewNvlinkSupportedBwModesV1() NvlinkSupportedBwModesV1 {
	return NvlinkSupportedBwModesV1{Version: NvlinkSupportedBwModesV1Version}
}

// NewPciInfoExtV1 returns a [PciInfoExtV1] whose Version is set.
func NewPciInfoExtV1() PciInfoExtV1 { return PciInfoExtV1{Version: PciInfoExtV1Version} }

// NewPdiV1 returns a [PdiV1] whose Version is set.
func NewPdiV1() PdiV1 { return PdiV1{Version: PdiV1Version} }

// NewPlatformInfoV1 returns a [PlatformInfoV1] whose Version is set.
func NewPlatformInfoV1() PlatformInfoV1 { return PlatformInfoV1{Version: PlatformInfoV1Version} }

// NewPlatformInfoV2 returns a [PlatformInfoV2] whose Version is set.
func NewPlatformInfoV2() PlatformInfoV2 { return PlatformInfoV2{Version: PlatformInfoV2Version} }

// NewPowerSmoothingProfileV1 returns a [PowerSmoothingProfileV1] whose Version is set.
func NewPowerSmoothingProfileV1() PowerSmoothingProfileV1 {
	return PowerSmoothingProfileV1{Version: PowerSmoothingProfileV1Version}
}

// NewPowerSmoothingStateV1 returns a [PowerSmoothingStateV1] whose Version is set.
func NewPowerSmoothingStateV1() PowerSmoothingStateV1 {
	return PowerSmoothingStateV1{Version: PowerSmoothingStateV1Version}
}

// NewPowerValueV2 returns a [PowerValueV2] whose Version is set.
func NewPowerValueV2() PowerValueV2 { return PowerValueV2{Version: PowerValueV2Version} }

// NewProcessDetailListV1 returns a [ProcessDetailListV1] whose Version is set.
func NewProcessDetailListV1() ProcessDetailListV1 {
	return ProcessDetailListV1{Version: ProcessDetailListV1Version}
}

// NewProcessesUtilizationInfoV1 returns a [ProcessesUtilizationInfoV1] whose Version is set.
func NewProcessesUtilizationInfoV1() ProcessesUtilizationInfoV1 {
	return ProcessesUtilizationInfoV1{Version: ProcessesUtilizationInfoV1Version}
}

// NewRepairStatusV1 returns a [RepairStatusV1] whose Version is set.
func NewRepairStatusV1() RepairStatusV1 { return RepairStatusV1{Version: RepairStatusV1Version} }

// NewRusdSettingsV1 returns a [RusdSettingsV1] whose Version is set.
func NewRusdSettingsV1() RusdSettingsV1 { return RusdSettingsV1{Version: RusdSettingsV1Version} }

// NewSystemConfComputeSettingsV1 returns a [SystemConfComputeSettingsV1] whose Version is set.
func NewSystemConfComputeSettingsV1() SystemConfComputeSettingsV1 {
	return SystemConfComputeSettingsV1{Version: SystemConfComputeSettingsV1Version}
}

// NewSystemConfComputeSettingsV2 returns a [SystemConfComputeSettingsV2] whose Version is set.
func NewSystemConfComputeSettingsV2() SystemConfComputeSettingsV2 {
	return SystemConfComputeSettingsV2{Version: SystemConfComputeSettingsV2Version}
}

// NewSystemDriverBranchInfoV1 returns a [SystemDriverBranchInfoV1] whose Version is set.
func NewSystemDriverBranchInfoV1() SystemDriverBranchInfoV1 {
	return SystemDriverBranchInfoV1{Version: SystemDriverBranchInfoV1Version}
}

// NewSystemEventSetCreateRequestV1 returns a [SystemEventSetCreateRequestV1] whose Version is set.
func NewSystemEventSetCreateRequestV1() SystemEventSetCreateRequestV1 {
	return SystemEventSetCreateRequestV1{Version: SystemEventSetCreateRequestV1Version}
}

// NewSystemEventSetFreeRequestV1 returns a [SystemEventSetFreeRequestV1] whose Version is set.
func NewSystemEventSetFreeRequestV1() SystemEventSetFreeRequestV1 {
	return SystemEventSetFreeRequestV1{Version: SystemEventSetFreeRequestV1Version}
}

// NewSystemEventSetWaitRequestV1 returns a [SystemEventSetWaitRequestV1] whose Version is set.
func NewSystemEventSetWaitRequestV1() SystemEventSetWaitRequestV1 {
	return SystemEventSetWaitRequestV1{Version: SystemEventSetWaitRequestV1Version}
}

// NewSystemRegisterEventRequestV1 returns a [SystemRegisterEventRequestV1] whose Version is set.
func NewSystemRegisterEventRequestV1() SystemRegisterEventRequestV1 {
	return SystemRegisterEventRequestV1{Version: SystemRegisterEventRequestV1Version}
}

// NewTemperatureV1 returns a [TemperatureV1] whose Version is set.
func NewTemperatureV1() TemperatureV1 { return TemperatureV1{Version: TemperatureV1Version} }

// NewUuidV1 returns a [UuidV1] whose Version is set.
func NewUuidV1() UuidV1 { return UuidV1{Version: UUIDV1Version} }

// NewVgpuCreatablePlacementInfoV1 returns a [VgpuCreatablePlacementInfoV1] whose Version is set.
func NewVgpuCreatablePlacementInfoV1() VgpuCreatablePlacementInfoV1 {
	return VgpuCreatablePlacementInfoV1{Version: VgpuCreatablePlacementInfoV1Version}
}

// NewVgpuHeterogeneousModeV1 returns a [VgpuHeterogeneousModeV1] whose Version is set.
func NewVgpuHeterogeneousModeV1() VgpuHeterogeneousModeV1 {
	return VgpuHeterogeneousModeV1{Version: VgpuHeterogeneousModeV1Version}
}

// NewVgpuInstancesUtilizationInfoV1 returns a [VgpuInstancesUtilizationInfoV1] whose Version is set.
func NewVgpuInstancesUtilizationInfoV1() VgpuInstancesUtilizationInfoV1 {
	return VgpuInstancesUtilizationInfoV1{Version: VgpuInstancesUtilizationInfoV1Version}
}

// NewVgpuPlacementIdV1 returns a [VgpuPlacementIdV1] whose Version is set.
func NewVgpuPlacementIdV1() VgpuPlacementIdV1 {
	return VgpuPlacementIdV1{Version: VgpuPlacementIdV1Version}
}

// NewVgpuPlacementListV1 returns a [VgpuPlacementListV1] whose Version is set.
func NewVgpuPlacementListV1() VgpuPlacementListV1 {
	return VgpuPlacementListV1{Version: VgpuPlacementListV1Version}
}

// NewVgpuPlacementListV2 returns a [VgpuPlacementListV2] whose Version is set.
func NewVgpuPlacementListV2() VgpuPlacementListV2 {
	return VgpuPlacementListV2{Version: VgpuPlacementListV2Version}
}

// NewVgpuProcessesUtilizationInfoV1 returns a [VgpuProcessesUtilizationInfoV1] whose Version is set.
func NewVgpuProcessesUtilizationInfoV1() VgpuProcessesUtilizationInfoV1 {
	return VgpuProcessesUtilizationInfoV1{Version: VgpuProcessesUtilizationInfoV1Version}
}

// NewVgpuRuntimeStateV1 returns a [VgpuRuntimeStateV1] whose Version is set.
func NewVgpuRuntimeStateV1() VgpuRuntimeStateV1 {
	return VgpuRuntimeStateV1{Version: VgpuRuntimeStateV1Version}
}

// NewVgpuSchedulerLogInfoV1 returns a [VgpuSchedulerLogInfoV1] whose Version is set.
func NewVgpuSchedulerLogInfoV1() VgpuSchedulerLogInfoV1 {
	return VgpuSchedulerLogInfoV1{Version: VgpuSchedulerLogInfoV1Version}
}

// NewVgpuSchedulerStateInfoV1 returns a [VgpuSchedulerStateInfoV1] whose Version is set.
func NewVgpuSchedulerStateInfoV1() VgpuSchedulerStateInfoV1 {
	return VgpuSchedulerStateInfoV1{Version: VgpuSchedulerStateInfoV1Version}
}

// NewVgpuSchedulerStateV1 returns a [VgpuSchedulerStateV1] whose Version is set.
func NewVgpuSchedulerStateV1() VgpuSchedulerStateV1 {
	return VgpuSchedulerStateV1{Version: VgpuSchedulerStateV1Version}
}

// NewVgpuTypeBar1InfoV1 returns a [VgpuTypeBar1InfoV1] whose Version is set.
func NewVgpuTypeBar1InfoV1() VgpuTypeBar1InfoV1 {
	return VgpuTypeBar1InfoV1{Version: VgpuTypeBar1InfoV1Version}
}

// NewVgpuTypeIdInfoV1 returns a [VgpuTypeIdInfoV1] whose Version is set.
func NewVgpuTypeIdInfoV1() VgpuTypeIdInfoV1 {
	return VgpuTypeIdInfoV1{Version: VgpuTypeIdInfoV1Version}
}

// NewVgpuTypeMaxInstanceV1 returns a [VgpuTypeMaxInstanceV1] whose Version is set.
func NewVgpuTypeMaxInstanceV1() VgpuTypeMaxInstanceV1 {
	return VgpuTypeMaxInstanceV1{Version: VgpuTypeMaxInstanceV1Version}
}

// NewWorkloadPowerProfileCurrentProfilesV1 returns a [WorkloadPowerProfileCurrentProfilesV1] whose Version is set.
func NewWorkloadPowerProfileCurrentProfilesV1() WorkloadPowerProfileCurrentProfilesV1 {
	return WorkloadPowerProfileCurrentProfilesV1{Version: WorkloadPowerProfileCurrentProfilesV1Version}
}

// NewWorkloadPowerProfileInfoV1 returns a [WorkloadPowerProfileInfoV1] whose Version is set.
func NewWorkloadPowerProfileInfoV1() WorkloadPowerProfileInfoV1 {
	return WorkloadPowerProfileInfoV1{Version: WorkloadPowerProfileInfoV1Version}
}

// NewWorkloadPowerProfileProfilesInfoV1 returns a [WorkloadPowerProfileProfilesInfoV1] whose Version is set.
func NewWorkloadPowerProfileProfilesInfoV1() WorkloadPowerProfileProfilesInfoV1 {
	return WorkloadPowerProfileProfilesInfoV1{Version: WorkloadPowerProfileProfilesInfoV1Version}
}

// NewWorkloadPowerProfileRequestedProfilesV1 returns a [WorkloadPowerProfileRequestedProfilesV1] whose Version is set.
func NewWorkloadPowerProfileRequestedProfilesV1() WorkloadPowerProfileRequestedProfilesV1 {
	return WorkloadPowerProfileRequestedProfilesV1{Version: WorkloadPowerProfileRequestedProfilesV1Version}
}

// NewGpmMetricsGetParams returns a [GpmMetricsGetParams] whose Version is set.
func NewGpmMetricsGetParams() GpmMetricsGetParams {
	return GpmMetricsGetParams{Version: GpmMetricsGetVersion}
}

// NewGpmSupport returns a [GpmSupport] whose Version is set.
func NewGpmSupport() GpmSupport { return GpmSupport{Version: GpmSupportVersion} }
