import { describe, expect, test } from 'vitest'
import { toListing } from '../src/config/listing.ts'
import { discover } from '../src/config/discover.ts'
import { Secret } from '../src/model/secret.ts'
import { memoryFiles } from '../src/testing/memory-files.ts'
import { loadSamples } from './support/samples.ts'
import type { Sample } from './support/samples.ts'
import type { SourceId } from '../src/sources/places.ts'

/** Fields of our listing that the samples do not have. */
const ours = ['id', 'hash', 'line', 'inputs', 'resolved']

describe('every sample configuration is read as its client reads it', () => {
  test.each(loadSamples().map((sample) => [sample.title, sample] as const))('%s', async (_title, sample) => {
    const listing = await list(sample)
    expect(serversOf(listing.servers, sample)).toEqual(expectedServers(sample))
    expect(listing.shadowed.map(shadowKey).sort()).toEqual(sample.expected.shadowed.map(shadowKey).sort())
    expect(listing.diagnostics.map((found) => warningKey(found, sample)).sort()).toEqual(
      sample.expected.warnings.map((wanted) => warningKey(wanted, sample)).sort(),
    )
  })
})

async function list(sample: Sample) {
  const platform = {
    os: sample.platform,
    home: sample.homeDir,
    cwd: sample.projectDir,
    env: sample.env,
    systemRoot: '/',
    files: memoryFiles(sample.files),
  }
  const options = { platform, sources: [sample.client as SourceId], preview: true, trust: 'project' } as const
  return toListing(
    await discover({ ...options, ...(sample.config !== undefined && { config: sample.config }) }),
  )
}

type Rows = readonly Record<string, unknown>[]

/** The fields that the sample expects, plus unexpected ones that are not in `ours`. */
function serversOf(servers: Rows, sample: Sample): Rows {
  return servers
    .map((server) => {
      const wanted =
        sample.expected.servers.find((candidate) => serverKey(candidate) === serverKey(server)) ?? {}
      const { resolved, trust: _ours, ...rest } = server
      const kept = Object.entries(rest).filter(([key]) => key in wanted || !ours.includes(key))
      return { ...Object.fromEntries(kept), ...(resolved !== undefined && { resolved: reveal(resolved) }) }
    })
    .sort(byKey)
}

function expectedServers(sample: Sample): Rows {
  // Qwen's own `trust: true` skips confirmations; our listing has a different field of the same name.
  return sample.expected.servers
    .map(({ trust: _owners, ...server }) => server as Record<string, unknown>)
    .sort(byKey)
}

function byKey(a: Record<string, unknown>, b: Record<string, unknown>): number {
  return serverKey(a).localeCompare(serverKey(b))
}

function serverKey(server: Record<string, unknown>): string {
  const source = server['source'] as { file: string; pointer: string }
  return `${source.file}#${source.pointer}`
}

function reveal(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (Array.isArray(value)) return value.map(reveal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, reveal(item)]))
}

function shadowKey(row: unknown): string {
  const { name, file, by } = row as { name: string; file: string; by: string | { file: string } }
  return `${name} ${file} < ${typeof by === 'string' ? by : by.file}`
}

/** A warning without a pointer in the sample is about the file or the server as a whole. */
function warningKey(row: unknown, sample: Sample): string {
  const { code, severity, file, pointer, server } = row as Record<string, string | undefined>
  const isWithoutPointer = sample.expected.warnings.some(
    (wanted) =>
      wanted.code === code &&
      wanted.file === file &&
      wanted.server === server &&
      wanted.pointer === undefined,
  )
  return [severity, code, file, server ?? '-', isWithoutPointer ? '' : (pointer ?? '')].join(' ')
}
