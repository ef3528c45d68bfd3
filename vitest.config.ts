import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['castor-source'] },
  ssr: { resolve: { conditions: ['castor-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
