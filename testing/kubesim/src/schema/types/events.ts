import type { TypeTable } from "../type-language.ts";

export const eventsTypes: TypeTable = {
  prefix: "io.k8s.api.events.v1",
  source: `
Event: Something that happened to an object.
  action: string
  deprecatedCount: int32
  deprecatedFirstTimestamp~, deprecatedLastTimestamp~: time
  deprecatedSource~: core.EventSource
  eventTime!~: micro-time
  metadata!~: meta.ObjectMeta
  note, reason: string
  regarding~, related: core.ObjectReference
  reportingController, reportingInstance: string
  series: EventSeries
  type: string
EventSeries: How often and until when an event repeated.
  count!: int32
  lastObservedTime!: micro-time
`,
};
