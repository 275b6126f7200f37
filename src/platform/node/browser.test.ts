import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watch } from 'node:fs'
import { showPage } from './browser.ts'

/** A stub of the opener of the system that records its arguments. */
function fakeOpener() {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-browser-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const out = join(directory, 'said')
  const program = `#!${process.execPath}\nconst fs = require('fs')\nfs.writeFileSync(${JSON.stringify(`${out}.new`)}, JSON.stringify(process.argv.slice(2)))\nfs.renameSync(${JSON.stringify(`${out}.new`)}, ${JSON.stringify(out)})\n`
  writeFileSync(join(directory, 'xdg-open'), program)
  chmodSync(join(directory, 'xdg-open'), 0o755)
  return { directory, out }
}

async function written(directory: string, out: string): Promise<string> {
  await new Promise<void>((resolve) => {
    const watcher = watch(directory, () => {
      if (!existsSync(out)) return
      watcher.close()
      resolve()
    })
    if (existsSync(out)) {
      watcher.close()
      resolve()
    }
  })
  return readFileSync(out, 'utf8')
}

test('T27 showPage: the address is passed as one argument, without a shell', async () => {
  const payloads = [
    'https://x.example/$(touch%20pwned)?a=`id`&b=1|2;3',
    'https://x.example/?x=%22%27%20--version',
    'https://x.example/\'"&calc.exe',
    'http://127.0.0.1:1/<>^%25PATH%25',
  ]
  for (const payload of payloads) {
    const { directory, out } = fakeOpener()
    const url = new URL(payload)
    expect(await showPage('linux', { PATH: directory }, url)).toBe(true)
    expect(JSON.parse(await written(directory, out))).toEqual([url.href])
  }
})

test('T27 showPage: refuses addresses that are not http or https, and returns false without an opener', async () => {
  for (const text of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'ms-settings:x',
  ]) {
    expect(await showPage('linux', { PATH: '/nowhere' }, new URL(text))).toBe(false)
  }
  expect(await showPage('linux', { PATH: '/nowhere' }, new URL('https://x.example'))).toBe(false)
})
