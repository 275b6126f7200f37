import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Run by `npm run test:slow`. */
const slow = 'test/**/*.slow.test.ts'
/** Tests that start a browser. */
const withBrowser = ['test/page/**/*.test.ts', 'test/auth/cli.test.ts', 'test/guides.test.ts']
const chromium = 'test/page/support/chromium-setup.ts'
/** Those in `test/peers` are run by `npm run test:peers`, beside the libraries they need. */
const exclude = [...configDefaults.exclude, 'test/peers/**']

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-source'), __BUILT_FOR__: '""', __BUILT_ENGINE__: '""' },
  test: {
    projects: [
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: [...exclude, slow, ...withBrowser] },
      },
      {
        extends: true,
        test: { name: 'page', include: withBrowser, exclude: [...exclude, slow], globalSetup: chromium },
      },
      { extends: true, test: { name: 'slow', include: [slow], exclude, globalSetup: chromium } },
    ],
    // The files that a worker runs share its process: loading the modules anew for each of 750 files took a third of the time.
    isolate: false,
    setupFiles: ['test/support/environment.ts'],
    // Most tests wait for processes that they start, for which a core is free meanwhile.
    maxWorkers: Math.min(2 * availableParallelism(), 16),
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
