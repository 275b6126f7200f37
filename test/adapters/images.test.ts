import { expect, test } from 'vitest'
import { imagesOf } from '../../src/adapters/result-images.ts'
import { imageOf, png } from './view.ts'

const base64 = (...bytes: number[]) =>
  Buffer.from([...bytes, ...Array<number>(12).fill(0)]).toString('base64')
const jpeg = base64(0xff, 0xd8, 0xff, 0xe0)
const gif = Buffer.from('GIF89a......').toString('base64')
const webp = Buffer.from('RIFF....WEBP').toString('base64')
const wave = Buffer.from('RIFF....WAVE').toString('base64')

test('imagesOf: the type comes from the bytes, not from the server', () => {
  const blocks = [png, jpeg, gif, webp].map((data) => imageOf(data, { mimeType: 'image/svg+xml' }))
  expect(imagesOf({ blocks })).toEqual([
    { mediaType: 'image/png', data: png },
    { mediaType: 'image/jpeg', data: jpeg },
    { mediaType: 'image/gif', data: gif },
    { mediaType: 'image/webp', data: webp },
  ])
})

test('imagesOf: includes an image embedded as a resource', () => {
  const blocks = [{ type: 'resource', resource: { uri: 'a://b', blob: png } }]
  expect(imagesOf({ blocks })).toEqual([{ mediaType: 'image/png', data: png }])
})

test.each([
  ['another kind of file', wave],
  ['not base64', `${png.slice(0, -4)}?!==`],
  ['a data URL', `data:image/png;base64,${png}`],
  ['broken into lines', `${png.slice(0, 40)}\n${png.slice(40)}`],
  ['cut off', png.slice(0, -1)],
  ['empty', ''],
  ['too large', png.slice(0, 40) + 'A'.repeat(5 * 1024 * 1024)],
])('imagesOf: drops data that a provider would reject: %s', (_, data) => {
  expect(imagesOf({ blocks: [imageOf(data)] })).toEqual([])
})

test('imagesOf: drops blocks whose data is not a string', () => {
  const blocks = [{ type: 'image' }, imageOf('', { data: 7 }), { type: 'resource', resource: 'a' }]
  expect(imagesOf({ blocks })).toEqual([])
})

test('imagesOf: returns at most 20 images', () => {
  expect(imagesOf({ blocks: Array.from({ length: 1000 }, () => imageOf(png)) })).toHaveLength(20)
})
