import { autoscalingTypes } from "../../schema/types/autoscaling.ts";
import type { NumberTable } from "../field-numbers.ts";

export const autoscalingNumbers: NumberTable = {
  prefix: autoscalingTypes.prefix,
  source: `
HorizontalPodAutoscaler: metadata spec status
HorizontalPodAutoscalerSpec: scaleTargetRef minReplicas maxReplicas metrics behavior
HorizontalPodAutoscalerBehavior: scaleUp scaleDown
HPAScalingRules: selectPolicy policies stabilizationWindowSeconds
HPAScalingPolicy: type value periodSeconds
MetricSpec: type object pods resource external 7 containerResource
ContainerResourceMetricSource: name target container
MetricTarget: type value averageValue averageUtilization
ExternalMetricSource: metric target
MetricIdentifier: name selector
ObjectMetricSource: describedObject target metric
CrossVersionObjectReference: kind name apiVersion
PodsMetricSource: metric target
ResourceMetricSource: name target
HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentReplicas desiredReplicas currentMetrics
  conditions
HorizontalPodAutoscalerCondition: type status lastTransitionTime reason message
MetricStatus: type object pods resource external 7 containerResource
ContainerResourceMetricStatus: name current container
MetricValueStatus: value averageValue averageUtilization
ExternalMetricStatus: metric current
ObjectMetricStatus: metric current describedObject
PodsMetricStatus: metric current
ResourceMetricStatus: name current
`,
};
