import { describe, expect, it } from 'vitest';
import { MetricStore } from './metric-store.ts';

const FILES = { name: 'files', description: 'Files.' };

describe('MetricStore', () => {
  it('adds up what it can no longer tell apart, and says so', () => {
    const store = new MetricStore(0);
    for (let lines = 0; lines < 2_005; lines++) store.count(FILES, { lines });
    store.count(FILES, { lines: 7 });
    const [{ points } = { points: [] }] = store.collect(1);
    expect(points).toHaveLength(2_001);
    expect([points[7], points.at(-1)]).toEqual([
      { attributes: { lines: 7 }, sum: 2 },
      { attributes: { 'otel.metric.overflow': true }, sum: 5 },
    ]);
  });
});
