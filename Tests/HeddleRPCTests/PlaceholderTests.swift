// Tests of HeddleRPC.
