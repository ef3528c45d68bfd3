/** What a run wrote to its telemetry file, read back. */

import { existsSync, readFileSync } from 'node:fs';

export interface ToldMetric {
  readonly attributes: Record<string, unknown>;
  readonly value: unknown;
}

export interface Told {
  /** The whole file. */
  readonly text: string;
  readonly logs: readonly Record<string, unknown>[];
  /** The last points of each metric. */
  readonly metrics: ReadonlyMap<string, readonly ToldMetric[]>;
}

interface FileRecord {
  attributes?: Record<string, unknown>;
  traceId?: string;
  scopeMetrics?: { metrics: { descriptor: { name: string }; dataPoints: ToldMetric[] }[] }[];
}

export function readTold(path: string): Told {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const pieces = text.split(/\n(?=\{)/).filter((piece) => piece.trim() !== '');
  const records = pieces.map((piece) => JSON.parse(piece) as FileRecord);
  const logs = records.flatMap(({ attributes, traceId }) => (attributes && traceId === undefined ? [attributes] : []));
  const metrics = records
    .flatMap(({ scopeMetrics = [] }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints] as const);
  return { text, logs, metrics: new Map(metrics) };
}

const COMMON = ['session.id', 'installation.id', 'interactive', 'auth_type', 'event.name', 'event.timestamp'];

/** The records of one event, without what every record has. */
export function recordsOf({ logs }: Told, name: string): Record<string, unknown>[] {
  return logs
    .filter((log) => log['event.name'] === name)
    .map((log) => Object.fromEntries(Object.entries(log).filter(([key]) => !COMMON.includes(key))));
}
