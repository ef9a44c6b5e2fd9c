import type { TypeTable } from "../type-language.ts";

export const autoscalingV1Types: TypeTable = {
  prefix: "io.k8s.api.autoscaling.v1",
  source: `
HorizontalPodAutoscaler: Changes the number of replicas by load.
  metadata~: meta.ObjectMeta
  spec~: HorizontalPodAutoscalerSpec
  status~: HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec: What is wanted of the horizontal pod autoscaler.
  maxReplicas!: int32
  minReplicas*: int32 default(1)
  scaleTargetRef!~: CrossVersionObjectReference
  targetCPUUtilizationPercentage*: int32
CrossVersionObjectReference: Points at the object to scale.
  apiVersion, kind!, name!: string
HorizontalPodAutoscalerStatus: What was last seen of the horizontal pod autoscaler.
  currentCPUUtilizationPercentage*, currentReplicas!, desiredReplicas!: int32
  lastScaleTime: time
  observedGeneration*: int64
Scale: The number of replicas of an object.
  metadata~: meta.ObjectMeta
  spec~: ScaleSpec
  status~: ScaleStatus
ScaleSpec: What is wanted of the scale.
  replicas: int32
ScaleStatus: What was last seen of the scale.
  replicas!: int32
  selector: string
`,
};
