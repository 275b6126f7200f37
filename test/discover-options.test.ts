import { describe, expect, test } from 'vitest'
import { HostError, discover } from '../src/index.ts'
import type { DiscoverOptions } from '../src/index.ts'

describe('discover: an invalid option is a usage error that names the allowed values', () => {
  test.each([
    [{ preset: 'nope' }, 'The option preset must be one of default, boocode, dispatch, omp.'],
    [{ cwd: 5 }, 'The option cwd must be the path of a folder.'],
    [{ config: 5 }, 'The option config must be the path of a file.'],
    [{ sources: 'cursor' }, 'The option sources must be a list of source ids.'],
    [{ trust: 'all' }, 'The option trust must be "project" or left out.'],
  ])('%j', async (options, message) => {
    // Options that only an untyped caller can pass.
    const error: unknown = await discover(options as unknown as DiscoverOptions).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({ code: 'usage', message })
  })
})
