import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['castor-source'] },
  ssr: { resolve: { conditions: ['castor-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/house/temporary-folder.ts',
    pool: 'forks',
    maxWorkers: 2,
    // Files share a worker: one of its own costs more than most files' tests. So a test takes back what it sets.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
