import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../dist/page/', import.meta.url))
const assets = readdirSync(join(dist, 'assets'))
const own = assets.filter((name) => !/\.(?:br|gz)$/.test(name))
const read = (name: string) => readFileSync(join(dist, name))
const sizeOf = (name: string) => read(`${name}.gz`).length
const isApp = (name: string) => name.startsWith('app-')
const sum = (names: readonly string[]) => names.reduce((total, name) => total + sizeOf(name), 0)

describe('the built page', () => {
  const index = read('index.html').toString()
  const named = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name!)

  test('its first load is at most 45 kB and 4 files besides the events', () => {
    const first = ['index.html', ...named]
    expect(first.length).toBeLessThanOrEqual(4)
    expect(sum(first)).toBeLessThanOrEqual(45_000)
  })

  test('all of its scripts together are at most 92 kB over the wire, besides what is loaded with the first app', () => {
    const scripts = own.filter((name) => name.endsWith('.js') && !isApp(name))
    const bytes = scripts.reduce((total, name) => total + read(`assets/${name}.br`).length, 0)
    // 90 kB for the places of servers, tools and conversations, 2 kB for clients of the gateway and the way to apps.
    expect(bytes).toBeLessThanOrEqual(92_000)
  })

  test('what is loaded with the first app, the bridge of the extension, is at most 65 kB (gzip)', () => {
    expect(sum(own.filter(isApp).map((name) => `assets/${name}`))).toBeLessThanOrEqual(65_000)
    const others = own.filter((name) => name.endsWith('.js') && !isApp(name))
    expect(
      others.filter((name) => /ui\/initialize|ZodError/.test(read(`assets/${name}`).toString())),
    ).toEqual([])
  })

  test('every file has br and gz beside it, of the same bytes, and a name with a hash', () => {
    const names = ['index.html', ...own.map((each) => `assets/${each}`)]
    const wrong = names.filter((name) => {
      const bytes = read(name)
      const [br, gz] = [brotliDecompressSync(read(`${name}.br`)), gunzipSync(read(`${name}.gz`))]
      return !br.equals(bytes) || !gz.equals(bytes)
    })
    expect(wrong).toEqual([])
    expect(own.filter((name) => !/-[\w-]{8}\.(?:js|css|svg)$/.test(name))).toEqual([])
  })

  test('it asks no other host, evaluates no text, and has no HTML from text (T36)', () => {
    const scripts = own.filter((name) => /\.(?:js|css)$/.test(name))
    const forbidden = {
      // Errors of two libraries name their manuals, and the bridge the versions of JSON Schema.
      'another host':
        /\bhttps?:\/\/(?!127\.0\.0\.1|www\.w3\.org\/|json-schema\.org\b|github\.com\/(?:preactjs|markedjs)\/)[\w.-]+/g,
      'text that runs': /\beval\(|\bnew Function\b|\bdocument\.write\b/g,
      'HTML from text': /\.(?:outerHTML|insertAdjacentHTML)\b/g,
      'a data address': /url\(["']?data:|["'`]data:[a-z]+\//g,
    }
    const found = scripts.flatMap((name) => {
      const text = read(`assets/${name}`).toString()
      return Object.entries(forbidden).flatMap(([what, pattern]) =>
        [...text.matchAll(pattern)].map(([match]) => `${name}: ${what}: ${match}`),
      )
    })
    expect(found).toEqual([])
    expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/)
  })

  test('its source never makes elements from text', () => {
    const source = fileURLToPath(new URL('../web/src/', import.meta.url))
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    )
    expect(files.length).toBeGreaterThan(40)
    const html = /innerHTML|insertAdjacentHTML|createContextualFragment|document\.write|DOMParser/i
    expect(files.filter((name) => html.test(readFileSync(join(source, name), 'utf8')))).toEqual([])
  })

  test('the checks of patterns (re2js) stay on the server', () => {
    const holders = own.filter((name) => /RE2JS|re2js/i.test(read(`assets/${name}`).toString()))
    expect(holders).toEqual([])
  })

  test('the first load has Servers only; the chat with its Markdown and the other places are files of their own', () => {
    const [entry = ''] = named.filter((name) => name.endsWith('.js'))
    const scripts = own
      .filter((name) => name.endsWith('.js'))
      .map((name) => name.replace(/-[\w-]{8}\.js$/, ''))
    // The last one is a helper of 150 bytes.
    expect(scripts.sort()).toEqual(['app', 'chat', 'index', 'work', 'rolldown-runtime'].sort())
    expect(read(entry).toString()).not.toContain('blockquote')
  })

  test('it names the licenses of what is inside', () => {
    const notices = readFileSync(join(dist, 'THIRD-PARTY.md'), 'utf8')
    for (const name of ['preact', '@preact/signals', 'preact-iso', 'lucide-preact'])
      expect(notices).toContain(`## ${name} `)
    expect(notices).not.toContain('No license text')
  })
})
