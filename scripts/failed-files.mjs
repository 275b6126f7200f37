import { writeFileSync } from 'node:fs'

/** A reporter of vitest: writes the paths of the test files with a failed test or an unhandled error, as a JSON array. */
export default class FailedFiles {
  onTestRunEnd(modules, unhandledErrors) {
    const failed = modules.filter((module) => !module.ok()).map((module) => module.moduleId)
    const erring = unhandledErrors.map((error) => error.VITEST_TEST_PATH ?? 'an unknown test file')
    writeFileSync(process.env.PLUGBOARD_FAILED_FILES, JSON.stringify([...new Set([...failed, ...erring])]))
  }
}
