/** The answer to `open`. */
export interface Opened {
  /** `http://127.0.0.1:40123/ui/` */
  readonly consoleUrl: string;
}

export interface FillOrder {
  readonly count: number;
}

export interface HubOrder {
  /** Of the Secret that all of them use. */
  readonly name: string;
  readonly users: number;
}

export interface ChangeOrder {
  readonly perSecond: number;
  readonly seconds: number;
}

export interface LogOrder {
  readonly pod: string;
  readonly lines: number;
}

export interface FollowOrder extends ChangeOrder {
  readonly pod: string;
}

/** The answer to `follow`. */
export interface Followed {
  readonly perSecond: number;
  /** The number of the last line. */
  readonly last: number;
}

export interface MarkOrder {
  readonly index: number;
  readonly text: string;
}
