import { defineConfig } from 'vitest/config'

// Tests of state and texts, without a browser; test/page has the others.
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: { include: ['src/**/*.test.{ts,tsx}'], testTimeout: 60_000 },
})
