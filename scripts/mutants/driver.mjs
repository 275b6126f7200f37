import { test } from 'vitest'

// Starts `mutant-runner.mjs`, which does its work after this file.
test('mutants', () => undefined)
