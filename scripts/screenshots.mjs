// Takes the pictures of docs/page: `node scripts/screenshots.mjs` after a build; `node scripts/screenshots.mjs apps app-chat` those of
// these tests alone. test/page/look.slow.test.ts shows every state of a made-up shop in a real browser and takes a picture of each; this
// chooses among them, and makes them small.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'docs/page')
/** States that are also shown dark, or on a phone. */
const dark = ['servers', 'chat', 'tool-form']
const phone = ['servers', 'chat', 'approval']

/** The pictures of apps in docs/guide/apps.md. */
const apps = ['budget', 'cohort', 'monitor', 'link', 'chat'].map((name) => `app-${name}.png`)
/** The tests that take pictures. */
const all = ['look.slow', 'lock', 'apps', 'app-chat']
const chosen = process.argv.slice(2)

const folder = mkdtempSync(join(tmpdir(), 'plugboard-pictures-'))
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...(chosen.length > 0 ? chosen : all).map((name) => `test/page/${name}.test.ts`),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PLUGBOARD_PICTURES: folder },
  },
)
const taken = readdirSync(folder)
if (status === 0) {
  if (chosen.length === 0) rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  let sum = 0
  for (const file of taken) {
    const name = nameOf(file)
    if (!name) continue
    const bytes = shrink(PNG.sync.read(readFileSync(join(folder, file))))
    sum += bytes.length
    writeFileSync(join(target, name), bytes)
  }
  console.log(`docs/page: ${Math.round(sum / 1000)} kB`)
}
rmSync(folder, { recursive: true, force: true })
process.exitCode = status ?? 1

/** The name in docs/page; `undefined` for a picture that shows nothing new. */
function nameOf(file) {
  if (file.startsWith('app-')) return apps.includes(file) ? file : undefined
  const [, state, width, theme] = /^(.+)-(\d+)-(light|dark)\.png$/.exec(file) ?? []
  if (state === 'lock-empty') return undefined
  if (width === '390') return theme === 'light' && phone.includes(state) ? `${state}-phone.png` : undefined
  if (theme === 'light') return `${state}.png`
  return dark.includes(state) ? `${state}-dark.png` : undefined
}

/** With 256 colors; what is left out are steps in the edges of letters. A third of the size. */
function shrink({ width, height, data }) {
  const counts = new Map()
  const colors = new Uint32Array(width * height)
  for (let at = 0; at < colors.length; at++) {
    const color = (data[at * 4] << 16) | (data[at * 4 + 1] << 8) | data[at * 4 + 2]
    colors[at] = color
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = choose(counts)
  const indexes = new Map(palette.map((color, index) => [color, index]))
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const color = colors[y * width + x]
      if (!indexes.has(color)) indexes.set(color, nearest(palette, color))
      rows[y * (width + 1) + 1 + x] = indexes.get(color)
    }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The most frequent color, then always the one that is missed most: far from those chosen, and frequent. */
function choose(counts) {
  const missed = new Map([...counts].map(([color]) => [color, Infinity]))
  const palette = []
  for (
    let next = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    next !== undefined && palette.length < 256;
  ) {
    palette.push(next)
    missed.delete(next)
    let most = 0
    const chosen = next
    next = undefined
    for (const [color, before] of missed) {
      const far = Math.min(before, distance(color, chosen))
      missed.set(color, far)
      const weight = far * Math.sqrt(counts.get(color))
      if (weight > most) [most, next] = [weight, color]
    }
  }
  return palette
}

function nearest(palette, color) {
  return palette.reduce(
    (best, each, index) => (distance(each, color) < distance(palette[best], color) ? index : best),
    0,
  )
}

function distance(a, b) {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((a >> shift) & 255) - ((b >> shift) & 255))
  return red * red + green * green + blue * blue
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
