import { describe, expect, test } from 'vitest'
import { HostError, discover } from '../src/index.ts'
import type { DiscoverOptions } from '../src/index.ts'

describe('discover says which values an option has', () => {
  test.each([
    [{ preset: 'nope' }, 'The option preset is one of default, boocode, dispatch, omp.'],
    [{ cwd: 5 }, 'The option cwd is the path of a folder.'],
    [{ config: 5 }, 'The option config is the path of a file.'],
    [{ sources: 'cursor' }, 'The option sources is a list of ids of sources.'],
    [{ trust: 'all' }, 'The option trust is project or left out.'],
  ])('%j', async (options, message) => {
    // What a caller without types may give.
    const error: unknown = await discover(options as unknown as DiscoverOptions).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({ code: 'usage', message })
  })
})
