/**
 * MetricStore: sums and distributions by name and attributes, since the start of the session. Memory is bounded:
 * beyond OpenTelemetry's limit for the points of one metric, further values are added to one point marked as
 * overflow.
 */

import type { Attributes, MetricPoint, MetricSignal } from './signals.ts';

interface Metric {
  description: string;
  unit: string;
  points: Map<string, MetricPoint>;
}

export interface MetricName {
  name: string;
  description: string;
  unit?: string;
}

const MAX_POINTS = 2_000;
const OVERFLOW = { 'otel.metric.overflow': true };

export class MetricStore {
  private readonly metrics = new Map<string, Metric>();
  private readonly startTime: number;
  private hasChanged = false;

  constructor(startTime: number) {
    this.startTime = startTime;
  }

  /** Adds to a sum. */
  count(metric: MetricName, given: Attributes, by = 1): void {
    const { points, key, attributes } = this.find(metric, given);
    const known = points.get(key);
    points.set(key, { attributes, sum: (known?.sum ?? 0) + by });
  }

  /** Adds a value to a distribution. */
  record(metric: MetricName, given: Attributes, value: number): void {
    const { points, key, attributes } = this.find(metric, given);
    const known = points.get(key);
    const { count, sum, min, max } =
      known && 'count' in known ? known : { count: 0, sum: 0, min: Infinity, max: -Infinity };
    points.set(key, {
      attributes,
      count: count + 1,
      sum: sum + value,
      min: Math.min(min, value),
      max: Math.max(max, value),
    });
  }

  /** Whether a value was added since `collect`. */
  get isChanged(): boolean {
    return this.hasChanged;
  }

  /** All values so far; empty when none was added since the last call. */
  collect(time: number): MetricSignal[] {
    if (!this.hasChanged) return [];
    this.hasChanged = false;
    return [...this.metrics].map(([name, { description, unit, points }]) => ({
      kind: 'metric',
      name,
      description,
      unit,
      startTime: this.startTime,
      time,
      points: [...points.values()],
    }));
  }

  private find({ name, description, unit = '1' }: MetricName, attributes: Attributes) {
    this.hasChanged = true;
    const known = this.metrics.get(name);
    const metric = known ?? { description, unit, points: new Map<string, MetricPoint>() };
    if (!known) this.metrics.set(name, metric);
    const { points } = metric;
    const key = JSON.stringify(attributes);
    if (points.has(key) || points.size < MAX_POINTS) return { points, key, attributes };
    return { points, key: JSON.stringify(OVERFLOW), attributes: OVERFLOW };
  }
}
