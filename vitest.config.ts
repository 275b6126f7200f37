import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Run by `npm run test:peers`, beside the libraries they need.
    exclude: [...configDefaults.exclude, 'test/peers/**'],
    // The default leaves one core free, which is half of a small machine; most tests wait for processes.
    maxWorkers: Math.max(availableParallelism(), 2),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The chat and the commands of the agent are tested as processes in a terminal, which are not measured.
      exclude: [
        'src/**/*.test.ts',
        'src/surfaces/cli/main.ts',
        'src/surfaces/chat/**',
        'src/surfaces/cli/commands/agent/**',
      ],
      reporter: ['text-summary'],
      thresholds: { lines: 84, branches: 79 },
    },
  },
})
