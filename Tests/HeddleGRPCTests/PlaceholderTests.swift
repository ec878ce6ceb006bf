// Tests of HeddleGRPC.
