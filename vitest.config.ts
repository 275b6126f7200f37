import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-source'), __BUILT_FOR__: '""', __BUILT_ENGINE__: '""' },
  test: {
    projects: [
      // Tests of units change nothing outside of themselves. They share processes: loading the same modules again for
      // each of 360 files took more than half of their time.
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          isolate: false,
          include: ['test/**/*.test.ts'],
          // Run by `npm run test:peers`, beside the libraries they need.
          exclude: [...configDefaults.exclude, 'test/peers/**'],
        },
      },
    ],
    setupFiles: ['test/support/environment.ts'],
    // The default leaves one core free, which is half of a small machine; most tests wait for processes.
    maxWorkers: Math.max(availableParallelism(), 2),
    // Limits for what never comes: a busy machine with slow cores takes many times what a desk does.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The chat and the commands are tested as processes, which are not measured.
      exclude: [
        'src/**/*.test.ts',
        'src/surfaces/cli/main.ts',
        'src/surfaces/chat/**',
        'src/surfaces/cli/commands/**',
      ],
      reporter: ['text-summary'],
      reportOnFailure: true,
      thresholds: { lines: 90, branches: 84 },
    },
  },
})
