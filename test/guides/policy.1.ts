import { writeFileSync } from 'node:fs'
import { createHost } from 'plugboard'

writeFileSync('AGENTS.md', '## Reviewer\n\ntools: github__*\n')

const askThePerson = async (..._question: readonly unknown[]) => 'no' as const
//- snippet
await host.close()
