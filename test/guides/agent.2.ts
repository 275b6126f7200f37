import { mkdirSync, writeFileSync } from 'node:fs'
import { openOwnStore as openStoreBefore } from 'plugboard/store'

process.env['PLUGBOARD_MODEL'] = 'openai/gpt-5'
mkdirSync('.claude/agents', { recursive: true })
writeFileSync('.claude/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews.\n---\nYou review.\n')
const cwd = process.cwd()
const before = (await openStoreBefore()).store
const conversation = (await before?.conversations.create({ cwd }))?.id ?? ''
await before?.close()
//- snippet
