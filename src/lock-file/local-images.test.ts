import { describe, expect, test } from 'vitest'
import { memoryFiles } from '../testing/memory-files.ts'
import { localDigest } from './local-images.ts'

const home = '/home/dana'
const digest = (digit: string) => `sha256:${digit.repeat(64)}`
const own = `${home}/.local/share/containers/storage`
const image = (names: unknown, digit = 'a') => ({ id: '1', digest: digest(digit), names })

interface Machine {
  readonly storage?: string
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

function podman(spec: string, images: unknown, machine: Machine = {}) {
  const { storage = own, folder = 'overlay-images', ...more } = machine
  const text = typeof images === 'string' ? images : JSON.stringify(images)
  const files = memoryFiles({ [`${storage}/${folder}/images.json`]: text })
  return localDigest({ runner: 'podman', spec }, { env: {}, home, uid: 1000, files, ...more })
}

function docker(spec: string, repositories: unknown) {
  const text = JSON.stringify({ Repositories: repositories })
  const files = memoryFiles({ '/var/lib/docker/image/overlay2/repositories.json': text })
  return localDigest({ runner: 'docker', spec }, { env: {}, home, uid: 1000, files })
}

describe('T03 podman: an image is found by the names that it can have', () => {
  test.each([
    ['server', 'server:latest'],
    ['server', 'docker.io/library/server:latest'],
    ['server', 'localhost/server:latest'],
    ['server:1', 'docker.io/library/server:1'],
    ['acme/server', 'docker.io/acme/server:latest'],
    ['acme/server', 'localhost/acme/server:latest'],
    ['ghcr.io/acme/server', 'ghcr.io/acme/server:latest'],
    ['registry:5000/server', 'registry:5000/server:latest'],
    ['localhost/server', 'localhost/server:latest'],
  ])('%s is %s', async (spec, name) => {
    expect(await podman(spec, [image(['other:1', name])])).toBe(digest('a'))
  })

  test.each([
    ['server', 'server:1'],
    ['server', 'docker.io/server:latest'],
    ['acme/server', 'docker.io/library/acme/server:latest'],
    ['ghcr.io/acme/server', 'docker.io/ghcr.io/acme/server:latest'],
    ['localhost/server', 'docker.io/localhost/server:latest'],
    ['registry:5000/server', 'localhost/registry:5000/server:latest'],
  ])('%s is not %s', async (spec, name) => {
    expect(await podman(spec, [image([name])])).toBeUndefined()
  })

  test('two images of one name have no digest, one that is listed twice has its own', async () => {
    const names = ['server:latest']
    expect(await podman('server', [image(names), image(names, 'b')])).toBeUndefined()
    expect(await podman('server', [image(names), image(names)])).toBe(digest('a'))
  })

  test('what is not written as an image is skipped', async () => {
    const good = image(['server:latest'])
    const odd = [null, 'x', { names: ['server:latest'] }, image('server:latest', 'b'), image([7], 'c')]
    expect(await podman('server', [...odd, good])).toBe(digest('a'))
    expect(await podman('server', { 0: good })).toBeUndefined()
    expect(await podman('server', '{')).toBeUndefined()
  })

  test('images are in the folders of drivers, in the place of the user, of XDG_DATA_HOME or of root', async () => {
    const images = [image(['server:latest'])]
    const root = '/var/lib/containers/storage'
    expect(await podman('server', images, { folder: 'overlay-layers' })).toBeUndefined()
    expect(await podman('server', images, { folder: 'vfs-images' })).toBe(digest('a'))
    const env = { XDG_DATA_HOME: '/data' }
    expect(await podman('server', images, { storage: '/data/containers/storage', env })).toBe(digest('a'))
    expect(await podman('server', images, { env })).toBeUndefined()
    expect(await podman('server', images, { storage: root, uid: 0 })).toBe(digest('a'))
    expect(await podman('server', images, { storage: root })).toBeUndefined()
  })
})

describe('T03 docker: a digest is another name of the same image', () => {
  const named = { 'acme/server:latest': 'sha256:1', [`acme/server@${digest('d')}`]: 'sha256:1' }

  test('is found by the id of the tag', async () => {
    expect(await docker('acme/server', { 'acme/server': named })).toBe(digest('d'))
    expect(await docker('acme/server:1', { 'acme/server': named })).toBeUndefined()
  })

  test('of another image, or without one, is unknown', async () => {
    const other = { ...named, [`acme/server@${digest('d')}`]: 'sha256:2' }
    expect(await docker('acme/server', { 'acme/server': other })).toBeUndefined()
    expect(
      await docker('acme/server', { 'acme/server': { 'acme/server:latest': 'sha256:1' } }),
    ).toBeUndefined()
    const tagged = { 'acme/server:latest': 'sha256:1', 'acme/server:1': 'sha256:1' }
    expect(await docker('acme/server', { 'acme/server': tagged })).toBeUndefined()
  })

  test('a tag that is absent has no digest, although others have one', async () => {
    const untagged = { [`acme/server@${digest('d')}`]: 'sha256:1' }
    expect(await docker('acme/server', { 'acme/server': untagged })).toBeUndefined()
  })

  test('what is not written as a table is skipped', async () => {
    expect(await docker('acme/server', { odd: 'x', 'acme/server': named })).toBe(digest('d'))
    expect(await docker('acme/server', 'x')).toBeUndefined()
    expect(await docker('acme/server', undefined)).toBeUndefined()
  })
})
