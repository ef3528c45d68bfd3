import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['castor-source'] },
  ssr: { resolve: { conditions: ['castor-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/temporary-folder.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
