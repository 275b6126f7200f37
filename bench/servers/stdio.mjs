import { answer } from './answer.mjs'

// Answers all messages of one chunk with one write.
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  let out = ''
  for (const line of lines) {
    const reply = line === '' ? undefined : answer(JSON.parse(line))
    if (reply !== undefined) out += `${reply}\n`
  }
  if (out !== '') process.stdout.write(out)
})
process.stdin.on('end', () => process.exit(0))
