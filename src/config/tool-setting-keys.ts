/** What a person's settings, and those of a project, may say about tools. They only take away. */
export const toolSettingKeys = {
  tools:
    'patterns over names and refs of tools, as in `createHost({ tools })`: what none admits is not offered',
  servers: 'patterns over names of servers: nothing of those that none admits is offered',
  readOnly:
    'the read-only guard: `off`, `reject-declared` or `require-declared`; or an object with `policy`, `believes` and `except`',
  rules:
    'what may run: a list of `{ "effect": "ask" or "deny", "tools": […], "when": […], "reason": "…" }`, as in `createHost({ policy })`',
} as const
