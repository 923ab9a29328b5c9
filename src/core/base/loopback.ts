/** Whether a host as it stands in an address, a Host header or a setting is this machine itself. */
export const isLoopback = (host: string): boolean => /^(([^.]+\.)*localhost|\[?::1\]?|127(\.\d{1,3}){3})$/i.test(host);
