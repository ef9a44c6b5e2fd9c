import type { TypeTable } from "../type-language.ts";

export const autoscalingTypes: TypeTable = {
  prefix: "io.k8s.api.autoscaling.v2",
  source: `
HorizontalPodAutoscaler: Changes the number of replicas by load.
  metadata~: meta.ObjectMeta
  spec~: HorizontalPodAutoscalerSpec
  status~: HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec: What is wanted of the horizontal pod autoscaler.
  behavior: HorizontalPodAutoscalerBehavior
  maxReplicas!: int32
  metrics: [MetricSpec]
  minReplicas*: int32 default(1)
  scaleTargetRef!~: CrossVersionObjectReference
HorizontalPodAutoscalerBehavior: How fast to scale up and down.
  scaleDown, scaleUp: HPAScalingRules
HPAScalingRules: How fast to scale in one direction.
  policies: [HPAScalingPolicy]
  selectPolicy*: string enum(Disabled, Max, Min)
  stabilizationWindowSeconds*: int32
HPAScalingPolicy: The largest change in a period.
  periodSeconds!: int32
  type!: string enum(Percent, Pods)
  value!: int32
MetricSpec: A metric to scale by.
  containerResource: ContainerResourceMetricSource
  external: ExternalMetricSource
  object: ObjectMetricSource
  pods: PodsMetricSource
  resource: ResourceMetricSource
  type!: string enum(ContainerResource, External, Object, Pods, Resource)
ContainerResourceMetricSource: A metric of the kind container resource.
  container!, name!: string
  target!~: MetricTarget
MetricTarget: The value to hold.
  averageUtilization*: int32
  averageValue: quantity
  type!: string enum(AverageValue, Utilization, Value)
  value: quantity
ExternalMetricSource: A metric of the kind external.
  metric!~: MetricIdentifier
  target!~: MetricTarget
MetricIdentifier: The name of a metric.
  name!: string
  selector: meta.LabelSelector
ObjectMetricSource: A metric of the kind object.
  describedObject!~: CrossVersionObjectReference
  metric!~: MetricIdentifier
  target!~: MetricTarget
CrossVersionObjectReference: Points at the object to scale.
  apiVersion, kind!, name!: string
PodsMetricSource: A metric of the kind pods.
  metric!~: MetricIdentifier
  target!~: MetricTarget
ResourceMetricSource: A metric of the kind resource.
  name!: string
  target!~: MetricTarget
HorizontalPodAutoscalerStatus: What was last seen of the horizontal pod autoscaler.
  conditions!: [HorizontalPodAutoscalerCondition]
  currentMetrics~: [MetricStatus]
  currentReplicas!, desiredReplicas!: int32
  lastScaleTime: time
  observedGeneration*: int64
HorizontalPodAutoscalerCondition: One aspect of the state of the horizontal pod autoscaler.
  lastTransitionTime~: time
  message, reason, status!, type!: string
MetricStatus: The last value of a metric.
  containerResource: ContainerResourceMetricStatus
  external: ExternalMetricStatus
  object: ObjectMetricStatus
  pods: PodsMetricStatus
  resource: ResourceMetricStatus
  type!: string
ContainerResourceMetricStatus: The last value of a metric of the kind container resource.
  container!: string
  current!~: MetricValueStatus
  name!: string
MetricValueStatus: The last value of a metric.
  averageUtilization*: int32
  averageValue, value: quantity
ExternalMetricStatus: The last value of a metric of the kind external.
  current!~: MetricValueStatus
  metric!~: MetricIdentifier
ObjectMetricStatus: The last value of a metric of the kind object.
  current!~: MetricValueStatus
  describedObject!~: CrossVersionObjectReference
  metric!~: MetricIdentifier
PodsMetricStatus: The last value of a metric of the kind pods.
  current!~: MetricValueStatus
  metric!~: MetricIdentifier
ResourceMetricStatus: The last value of a metric of the kind resource.
  current!~: MetricValueStatus
  name!: string
`,
};
