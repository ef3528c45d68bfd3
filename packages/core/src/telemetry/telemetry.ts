/**
 * Telemetry: collects log records, sums and spans of one session and passes them to a sink in batches. It exists only
 * when the user enabled it; a room that reports to it holds it as an optional collaborator. It never throws into the
 * run.
 */

import type { Clock } from '../util/clock.ts';
import { MetricStore } from './metric-store.ts';
import { ProcessUsage } from './process-usage.ts';
import type { Attributes, LogSignal, Signal, SpanSignal, TelemetrySink } from './signals.ts';

export interface TelemetryOptions {
  sink: TelemetrySink;
  clock: Clock;
  /** On every record: `session.id`, `installation.id`, `interactive`, `auth_type`. */
  common: Attributes;
  /** Whether records may contain the text of prompts, requests and answers. */
  logPrompts: boolean;
  /** Whether spans are recorded. */
  traces: boolean;
  /** The model provider, by OpenTelemetry's names. */
  provider: string;
  /** The address of the service: `server.address` and `server.port`. */
  server: Attributes;
}

const EXPORT_INTERVAL_MS = 10_000;
/** The most records buffered; beyond it they are flushed immediately. */
const MAX_BATCH = 512;

export class Telemetry {
  readonly logPrompts: boolean;
  readonly traces: boolean;
  readonly provider: string;
  readonly server: Attributes;
  readonly metrics: MetricStore;
  readonly clock: Clock;
  private readonly options: TelemetryOptions;
  private readonly usage: ProcessUsage;
  private readonly timer: NodeJS.Timeout;
  private batch: Signal[] = [];
  /** Removes secrets from what is written. */
  conceal: <T>(value: T) => T = (value) => value;
  private written: Promise<void> = Promise.resolve();

  constructor(options: TelemetryOptions) {
    this.options = options;
    this.logPrompts = options.logPrompts;
    this.traces = options.traces;
    this.provider = options.provider;
    this.server = options.server;
    this.clock = options.clock;
    this.metrics = new MetricStore(options.clock.now());
    this.usage = new ProcessUsage(this.metrics);
    this.timer = setInterval(() => void this.flush(), EXPORT_INTERVAL_MS);
    this.timer.unref();
  }

  /** `name` is the full event name, with its prefix. Undefined attributes are omitted. */
  log(name: string, body: string, attributes: Attributes): void {
    const time = this.clock.now();
    const record: LogSignal = {
      kind: 'log',
      time,
      body,
      attributes: {
        ...this.options.common,
        'event.name': name,
        'event.timestamp': new Date(time).toISOString(),
        ...attributes,
      },
    };
    this.add(record);
  }

  span(span: Omit<SpanSignal, 'kind'>): void {
    if (this.traces) this.add({ kind: 'span', ...span });
  }

  /** Resolves when the sink has accepted everything reported so far. */
  flush(): Promise<void> {
    // An idle program writes nothing.
    if (this.batch.length > 0 || this.metrics.isChanged) this.usage.record();
    const signals = [...this.batch.map((signal) => this.conceal(signal)), ...this.metrics.collect(this.clock.now())];
    this.batch = [];
    if (signals.length > 0) this.written = this.written.then(() => this.options.sink.write(signals));
    return this.written;
  }

  async shutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private add(signal: Signal): void {
    this.batch.push(signal);
    if (this.batch.length >= MAX_BATCH) void this.flush();
  }
}
