import { join } from 'node:path'
import { installNode, mustRun } from './node-versions.mjs'
import { root } from './run.mjs'

// Runs the tests on other Node versions.
for (const major of process.argv.length > 2 ? process.argv.slice(2) : ['22', '24'])
  mustRun(installNode(major), [join(root, 'node_modules/vitest/vitest.mjs'), 'run'])
