/**
 * Writes telemetry to one file: appends every record as JSON indented by two, in the shape of OpenTelemetry's own
 * exporters. No network. A file that cannot be written costs one warning, never the run.
 */

import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import type { MetricPoint, Resource, Signal, TelemetrySink } from './signals.ts';
import { makeDirectory } from '../util/make-directory.ts';

export interface FileSinkOptions {
  path: string;
  resource: Resource;
  onProblem: (message: string) => void;
}

export function createFileSink({ path, resource, onProblem }: FileSinkOptions): TelemetrySink {
  let hasFailed = false;
  let isReady = false;
  return {
    async write(signals) {
      if (hasFailed || signals.length === 0) return;
      const text = signals.map((signal) => `${JSON.stringify(toRecord(signal, resource), null, 2)}\n`).join('');
      try {
        if (!isReady) makeDirectory(dirname(path));
        isReady = true;
        await appendFile(path, text, { mode: 0o600 });
      } catch (error) {
        hasFailed = true;
        onProblem(`Writing telemetry to ${path} failed: ${getErrorMessage(error)}`);
      }
    },
  };
}

const SCOPE = { name: 'gemini-cli' };

function toRecord(signal: Signal, attributes: Resource): object {
  const resource = { attributes };
  switch (signal.kind) {
    case 'log':
      return {
        hrTime: toHrTime(signal.time),
        hrTimeObserved: toHrTime(signal.time),
        resource,
        instrumentationScope: SCOPE,
        body: signal.body,
        attributes: signal.attributes,
      };
    case 'metric':
      return { resource, scopeMetrics: [{ scope: SCOPE, metrics: [toMetric(signal)] }] };
    case 'span':
      return {
        resource,
        instrumentationScope: SCOPE,
        traceId: signal.traceId,
        ...(signal.parentSpanId !== undefined && { parentId: signal.parentSpanId }),
        name: signal.name,
        id: signal.spanId,
        kind: 0,
        timestamp: signal.startTime * 1_000,
        duration: (signal.endTime - signal.startTime) * 1_000,
        attributes: signal.attributes,
        status: signal.error === undefined ? { code: 1 } : { code: 2, message: signal.error },
        events: [],
        links: [],
      };
  }
}

function toMetric(metric: Extract<Signal, { kind: 'metric' }>): object {
  const [startTime, endTime] = [toHrTime(metric.startTime), toHrTime(metric.time)];
  const isDistribution = metric.points.some((point) => 'count' in point);
  return {
    descriptor: {
      name: metric.name,
      type: isDistribution ? 'HISTOGRAM' : 'COUNTER',
      description: metric.description,
      unit: metric.unit,
    },
    // OpenTelemetry's numbers for histogram and sum.
    dataPointType: isDistribution ? 0 : 3,
    dataPoints: metric.points.map((point) => ({
      attributes: point.attributes,
      startTime,
      endTime,
      value: toValue(point),
    })),
  };
}

function toValue(point: MetricPoint): unknown {
  if (!('count' in point)) return point.sum;
  return { count: point.count, sum: point.sum, min: point.min, max: point.max };
}

function toHrTime(milliseconds: number): [seconds: number, nanoseconds: number] {
  return [Math.floor(milliseconds / 1_000), Math.round((milliseconds % 1_000) * 1_000_000)];
}
