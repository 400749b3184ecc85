import Type from 'typebox'

/** For those who run the whole cluster. */
export const TenantName = Type.Optional(
  Type.String({
    pattern: '^[a-z0-9][a-z0-9._-]{0,62}$',
    description: "The caller's own unless given; another one only by principals of the default tenant.",
  }),
)
