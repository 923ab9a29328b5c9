/**
 * Who changes something: the name of a token, or an agent that uses one. What an agent calls itself is outside text and
 * never holds a blank, so that nobody can write the second half of such a name.
 */
export const agentActor = (agent: string, token: string): string => `agent ${agentName(agent)} via token ${token}`;
export const agentName = (said: string): string => said.replaceAll(/[^\w.@+-]+/g, "-").slice(0, 60) || "unknown";

/** The token behind it: an agent works for whoever gave it theirs. */
export const tokenOf = (actor: string): string => actor.replace(/^agent \S+ via token /, "");
