/** Agents that are to join: a process has those with its tokens. */
export interface JoinOrder {
  readonly tokens: readonly string[];
}

/** What the agents of one process say. */
export interface Census {
  /** Agents that a server has welcomed. */
  readonly welcomed: number;
  /** Agents whose tunnel takes requests. */
  readonly serving: number;
}

/** When agents tried to connect and when they were welcomed; wall clock. */
export interface Arrivals {
  readonly dialsMs: readonly number[];
  readonly welcomesMs: readonly number[];
}
