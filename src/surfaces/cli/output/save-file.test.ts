import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { imageExtension, saveBlobs } from './save-file.ts'

const imageOf = (bytes: string, mimeType: string) => ({
  type: 'image',
  data: Buffer.from(bytes, 'latin1').toString('base64'),
  mimeType,
})

test('T19 the bytes of an image decide its extension, never the type that a server names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-save-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const blocks = [
    imageOf('\u0089PNG\r\n\u001a\n....', 'text/html'),
    imageOf('\u00ff\u00d8\u00ff\u00e0', 'image/png'),
    imageOf('GIF89a', 'image/gif'),
    imageOf('RIFF\n\n\n\nWEBPVP8', 'image/webp'),
    imageOf('<script>alert(1)</script>', 'text/html'),
    imageOf('<svg onload="alert(1)"/>', 'image/svg+xml'),
    imageOf('<html>', 'image/png'),
  ]
  const saved = [...saveBlobs(blocks, folder, 't', { extensionOf: imageExtension }).values()].map((file) =>
    basename(file),
  )
  expect(saved).toEqual(['t-1.png', 't-2.jpg', 't-3.gif', 't-4.webp', 't-5.bin', 't-6.bin', 't-7.bin'])
})
