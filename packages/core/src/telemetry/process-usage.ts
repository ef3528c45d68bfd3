/**
 * Records the process's use of the machine in two metrics; measured when records are exported, so that it needs no
 * timer.
 */

import { METRICS } from './metric-names.ts';
import type { MetricStore } from './metric-store.ts';

export class ProcessUsage {
  private readonly metrics: MetricStore;
  private lastTime = performance.now();
  private lastCpu = process.cpuUsage();

  constructor(metrics: MetricStore) {
    this.metrics = metrics;
  }

  record(): void {
    const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
    const kinds = { heap_used: heapUsed, heap_total: heapTotal, external, rss };
    for (const [memory_type, bytes] of Object.entries(kinds)) {
      this.metrics.record(METRICS.memory, { memory_type }, bytes);
    }
    const time = performance.now();
    const { user, system } = process.cpuUsage(this.lastCpu);
    const passed = time - this.lastTime;
    if (passed > 0) this.metrics.record(METRICS.cpu, {}, (user + system) / 10 / passed);
    this.lastTime = time;
    this.lastCpu = process.cpuUsage();
  }
}
