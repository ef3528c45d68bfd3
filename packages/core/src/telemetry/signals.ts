/** The three kinds of record telemetry writes, as plain data; a sink decides on their form. */

export type Attribute = string | number | boolean | readonly string[] | Attributes;
/** What is undefined is left out. */
export interface Attributes {
  readonly [name: string]: Attribute | undefined;
}

export interface LogSignal {
  kind: 'log';
  /** Milliseconds since 1970. */
  time: number;
  body: string;
  attributes: Attributes;
}

/** A sum since the start, or a distribution since the start. */
export interface MetricSignal {
  kind: 'metric';
  name: string;
  description: string;
  unit: string;
  startTime: number;
  time: number;
  points: MetricPoint[];
}

export type MetricPoint =
  | { attributes: Attributes; sum: number }
  | { attributes: Attributes; count: number; sum: number; min: number; max: number };

export interface SpanSignal {
  kind: 'span';
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTime: number;
  endTime: number;
  attributes: Attributes;
  /** Present when what the span is about failed. */
  error?: string;
}

export type Signal = LogSignal | MetricSignal | SpanSignal;

/** What a record is about as a whole: the service and its version. */
export type Resource = Readonly<Record<string, string>>;

/** Where records go. Must not throw; a sink that cannot deliver says so once through `onProblem` of its maker. */
export interface TelemetrySink {
  write(signals: readonly Signal[]): Promise<void>;
}
