import { autoscalingV1Types } from "../../schema/types/autoscaling-v1.ts";
import type { NumberTable } from "../field-numbers.ts";

export const autoscalingV1Numbers: NumberTable = {
  prefix: autoscalingV1Types.prefix,
  source: `
HorizontalPodAutoscaler: metadata spec status
HorizontalPodAutoscalerSpec: scaleTargetRef minReplicas maxReplicas targetCPUUtilizationPercentage
CrossVersionObjectReference: kind name apiVersion
HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentReplicas desiredReplicas
  currentCPUUtilizationPercentage
Scale: metadata spec status
ScaleSpec: replicas
ScaleStatus: replicas selector
`,
};
