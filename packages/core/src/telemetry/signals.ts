/** The three kinds of telemetry record, as plain data; a sink decides on their format. */

export type Attribute = string | number | boolean | readonly string[] | Attributes;
/** Undefined values are omitted. */
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
  /** Present when the operation of the span failed. */
  error?: string;
}

export type Signal = LogSignal | MetricSignal | SpanSignal;

/** The origin of all records: the service and its version. */
export type Resource = Readonly<Record<string, string>>;

/**
 * The destination of records. Must not throw; a sink that cannot deliver reports it once through `onProblem` of its
 * creator.
 */
export interface TelemetrySink {
  write(signals: readonly Signal[]): Promise<void>;
}
